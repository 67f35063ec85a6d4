gpubench radix --shard=3/2
