use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{decode, encode, header};
use super::batch;
use crate::event::EventBatch;

proptest! {
    #[test]
    fn arbitrary_content_is_decoded_or_refused(content in vec(any::<u8>(), 0..300)) {
        let _ = decode::Decoder::default().decode(&content);
        let _ = header::take_header(&content);
        let _ = header::take_footer(&content);
    }

    /// Damage that the checksum does not see: decoding stays within bounds and consistent.
    #[test]
    fn damaged_content_is_decoded_or_refused(batch in batch(), changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut content = Vec::new();
        encode::Encoder::default().encode(&batch, &mut content).expect("flat");
        for (at, byte) in changes {
            let at = at.index(content.len());
            content[at] = byte;
        }
        let read = decode::Decoder::default().decode(&content);
        let mut folding = decode::Decoder::default();
        folding.fold();
        let folded = folding.decode(&content);
        prop_assert_eq!(folded.map(|batch| batch.n_events()), read.as_ref().map(EventBatch::n_events).map_err(|malformed| *malformed));
        if let Ok(batch) = read {
            let mut again = Vec::new();
            encode::Encoder::default().encode(&batch, &mut again).expect("flat");
            prop_assert_eq!(decode::Decoder::default().decode(&again), Ok(batch));
        }
    }
}
