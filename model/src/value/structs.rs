//! Struct types and their values.
//!
//! A program's struct types stand in one [`StructTable`]; a [`StructType`] is a place in it, so that a
//! type may contain itself by way of arrays and maps without a cycle of ownership. A value carries its
//! [`StructShape`], which says all that is needed to show, export and record it without the table.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::kind::{Type, Value};

/// Name and field names of a struct type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructShape {
    /// Name of the type.
    pub name: Arc<str>,
    /// Names of the fields, in the order of the file.
    pub fields: Vec<Arc<str>>,
}

impl StructShape {
    /// Position of a field.
    pub fn field_idx(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| **field == *name)
    }
}

/// A value of a struct type.
#[derive(Clone, Debug)]
pub struct StructValue {
    shape: Arc<StructShape>,
    /// Invariant: one for each field of the shape.
    fields: Vec<Value>,
}

impl StructValue {
    /// A value from those of its fields, or `None` where there is not one for each field.
    pub fn new(shape: Arc<StructShape>, fields: Vec<Value>) -> Option<Self> {
        (shape.fields.len() == fields.len()).then_some(Self { shape, fields })
    }

    /// Name and field names of its type.
    pub fn shape(&self) -> &Arc<StructShape> {
        &self.shape
    }

    /// Values of the fields, in the order of the shape.
    pub fn fields(&self) -> &[Value] {
        &self.fields
    }

    /// Values of the fields, in the order of the shape, to be written.
    pub fn fields_mut(&mut self) -> &mut [Value] {
        &mut self.fields
    }

    /// Names and values of the fields.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.shape.fields.iter().map(|name| &**name).zip(&self.fields)
    }

    /// Shape and values of the fields.
    pub fn into_parts(self) -> (Arc<StructShape>, Vec<Value>) {
        (self.shape, self.fields)
    }
}

/// Two values are equal where their types have one name and fields of the same names and values.
impl PartialEq for StructValue {
    fn eq(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.shape, &other.shape) || self.shape == other.shape) && self.fields == other.fields
    }
}

/// The type of a field as the table holds it: struct types by position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FieldType {
    /// A type without a struct in it.
    Plain(Type),
    /// A struct type of the same table.
    Struct(usize),
    /// An array.
    Array(Box<FieldType>),
    /// A map.
    Map(Box<FieldType>),
}

/// A struct type as declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructDef {
    /// Name and field names.
    pub shape: Arc<StructShape>,
    /// Types of the fields; one for each field of the shape.
    pub types: Vec<FieldType>,
}

/// The struct types of a program, in the order of the file.
///
/// No type contains itself other than by way of arrays and maps: the compiler refuses what does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StructTable {
    defs: Vec<StructDef>,
}

impl StructTable {
    /// A table of declared types. What a [`FieldType::Struct`] names is a position in `defs`.
    pub fn new(defs: Vec<StructDef>) -> Self {
        Self { defs }
    }

    /// Number of values in the default value of a type; it saturates. `known` has a place for each type.
    fn n_default_values(&self, def_idx: usize, known: &mut [Option<u64>]) -> u64 {
        if let Some(n_values) = known[def_idx] {
            return n_values;
        }
        let n_of = |ty: &FieldType| match ty {
            FieldType::Struct(def_idx) => self.n_default_values(*def_idx, known),
            FieldType::Plain(_) | FieldType::Array(_) | FieldType::Map(_) => 1,
        };
        let n_values = self.defs[def_idx].types.iter().map(n_of).fold(1, u64::saturating_add);
        known[def_idx] = Some(n_values);
        n_values
    }

    /// The declared types.
    pub fn defs(&self) -> &[StructDef] {
        &self.defs
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.defs.is_empty()
    }

    /// The type of a name.
    pub fn get(self: &Arc<Self>, name: &str) -> Option<StructType> {
        let def_idx = self.defs.iter().position(|def| *def.shape.name == *name)?;
        Some(StructType { table: Arc::clone(self), def_idx })
    }

    /// All types, in the order of the file.
    pub fn types(self: &Arc<Self>) -> impl Iterator<Item = StructType> {
        (0..self.defs.len()).map(|def_idx| StructType { table: Arc::clone(self), def_idx })
    }
}

/// A struct type: a place in a table.
#[derive(Clone)]
pub struct StructType {
    table: Arc<StructTable>,
    /// Invariant: a position in the table.
    def_idx: usize,
}

impl StructType {
    fn def(&self) -> &StructDef {
        &self.table.defs[self.def_idx]
    }

    /// Name and field names.
    pub fn shape(&self) -> &Arc<StructShape> {
        &self.def().shape
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.shape().name
    }

    /// The type of the field at a position of the shape.
    pub fn field_type(&self, field_idx: usize) -> Option<Type> {
        self.def().types.get(field_idx).map(|ty| self.resolved(ty))
    }

    /// The type of a field.
    pub fn field(&self, name: &str) -> Option<Type> {
        self.field_type(self.shape().field_idx(name)?)
    }

    /// Types of the fields, in the order of the shape.
    pub fn field_types(&self) -> impl Iterator<Item = Type> {
        self.def().types.iter().map(|ty| self.resolved(ty))
    }

    fn resolved(&self, ty: &FieldType) -> Type {
        match ty {
            FieldType::Plain(ty) => ty.clone(),
            FieldType::Struct(def_idx) => {
                Type::Struct(StructType { table: Arc::clone(&self.table), def_idx: *def_idx })
            }
            FieldType::Array(items) => Type::Array(Box::new(self.resolved(items))),
            FieldType::Map(values) => Type::Map(Box::new(self.resolved(values))),
        }
    }

    /// Number of values in the default value; it saturates.
    pub(super) fn n_default_values(&self) -> u64 {
        let mut known = vec![None; self.table.defs.len()];
        self.table.n_default_values(self.def_idx, &mut known)
    }

    /// The value whose fields hold their defaults.
    pub(super) fn default_value(&self) -> Value {
        let fields = self.field_types().map(|ty| ty.default_value()).collect();
        Value::Struct(Arc::new(StructValue { shape: Arc::clone(self.shape()), fields }))
    }

    /// Whether a value is of this type by name and fields; what the fields hold is not looked at.
    pub fn is_type_of(&self, shape: &Arc<StructShape>) -> bool {
        Arc::ptr_eq(self.shape(), shape) || self.shape() == shape
    }
}

/// Struct types are one where their names and declarations are.
impl PartialEq for StructType {
    fn eq(&self, other: &Self) -> bool {
        self.def_idx == other.def_idx && (Arc::ptr_eq(&self.table, &other.table) || self.table == other.table)
    }
}

impl Eq for StructType {}

impl Hash for StructType {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

/// Writes the name alone: the table may be large.
impl fmt::Debug for StructType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StructType({})", self.name())
    }
}
