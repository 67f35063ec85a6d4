// copy.comp -- copy an array.  A work group copies 1024 vectors of 16 bytes.  Each thread copies
// four and reads all of them before it writes the first.
#version 460
#extension GL_EXT_buffer_reference : require

layout(local_size_x = 256) in;

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Vectors { uvec4 v[]; };

layout(push_constant, std430) uniform Push
{
	Vectors from, to;
	uint count; // vectors
};

const uint EACH = 4;

void main()
{
	const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
	const uint first = group * EACH * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
	uvec4 kept[EACH];

	for (uint i = 0; i < EACH; i++)
		if (first + i * gl_WorkGroupSize.x < count)
			kept[i] = from.v[first + i * gl_WorkGroupSize.x];
	for (uint i = 0; i < EACH; i++)
		if (first + i * gl_WorkGroupSize.x < count)
			to.v[first + i * gl_WorkGroupSize.x] = kept[i];
}
