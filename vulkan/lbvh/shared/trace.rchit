// trace.rchit -- return the nearest hit: bits of the distance, and the primitive.
#version 460
#extension GL_EXT_ray_tracing : require

layout(location = 0) rayPayloadInEXT uvec2 hit;

void main()
{
	hit = uvec2(floatBitsToUint(gl_HitTEXT), uint(gl_PrimitiveID));
}
