gpubench radix --backend=opencl
