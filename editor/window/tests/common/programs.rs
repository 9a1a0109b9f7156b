/// Units of all kinds, a call, a shared object, a frame and a comment.
pub(crate) const PROGRAM: &str = r#"hasse = 1
main = "g"

[graph.g]
arcs = [
  "A.x -> B.x",
  "B.y -> C.x",
]

[graph.g.shared.total]
type = "int"

[graph.g.call.H]
graph = "h"

[graph.g.uc.A]
out = { x = "int" }
start = true
do = '''
let x = 1;
'''
route = ["x <- x"]

[graph.g.uc.B]
in = { x = "int" }
out = { y = "int" }
fire = ["x -> x"]
do = '''
let y = x + 1;
'''
route = ["y <- y"]

[graph.g.uc.C]
in = { x = "int" }
stop = true
fire = ["x -> x"]

[graph.g.uc.D]
in = { a = "int" }
out = { b = "int", s = "string" }

[graph.g.uc.E]
in = { a = "int" }
out = { b = "int" }

[graph.h]
in = { p = "int" }

[layout.g]
A = [0, 0]
B = [200, 0]
C = [400, 0]
D = [200, 200]
E = [600, 200]
H = [0, 200]
total = [400, 200]
"comment 1" = { at = [600, 0], text = "says one or two words" }
"frame 1" = { at = [180, 150], size = [140, 160], title = "group" }
"#;
