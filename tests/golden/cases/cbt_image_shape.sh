gpubench cbt --image=mesh.png
