-- Related memories are asked of the vector index (ADR 35): nothing of them is stored. Functions are created anew after this step.
drop table if exists linked_memories, similar_texts;
drop function if exists
    remove_pairs_of_gone_texts(), related_memories(text, uuid), memories_with_links(text, text, uuid[]),
    lock_texts(text, text[], text[], uuid[], uuid[]);
