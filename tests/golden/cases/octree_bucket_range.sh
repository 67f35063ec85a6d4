gpubench octree --bucket=33
