gpubench octree --dist=sphere
