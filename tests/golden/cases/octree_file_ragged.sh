printf 1234567 >bodies.f32
gpubench octree cpu/seq --file=bodies.f32
