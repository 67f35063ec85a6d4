// trace.rmiss -- return a miss: infinite distance, no primitive.
#version 460
#extension GL_EXT_ray_tracing : require

layout(location = 0) rayPayloadInEXT uvec2 hit;

void main()
{
	hit = uvec2(0x7f800000u, 0xffffffffu);
}
