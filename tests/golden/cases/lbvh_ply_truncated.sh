printf "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0000000000000000" >bad.ply
gpubench lbvh --scene=bad.ply cpu/apetrei
