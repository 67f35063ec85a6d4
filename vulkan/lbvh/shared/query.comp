// query.comp -- one ray query per ray.  A work group traces 8 x 8 pixels of an image or 64
// consecutive rays of a stream, whose occlusion bits are two words.
#version 460
#extension GL_EXT_ray_query : require
#extension GL_GOOGLE_include_directive : require
#include "rays.glsl"

layout(local_size_x = 64) in;

shared uint bits[2];

void main()
{
	const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
	const uint lane = gl_LocalInvocationIndex;
	const uint tiles = (edge + 7) / 8; // along x
	const uint x = group % tiles * 8 + lane % 8, y = group / tiles * 8 + lane / 8;
	const uint i = KIND == IMAGE ? y * edge + x : group * 64 + lane;
	const bool there = KIND == IMAGE ? x < edge && y < edge : i < edge * edge;
	uint flags = gl_RayFlagsOpaqueEXT;
	bool hit = false;

	if (KIND == ANY)
		flags |= gl_RayFlagsTerminateOnFirstHitEXT;
	if (there) {
		const Ray ray = ray_of(i, x, y);
		rayQueryEXT query;

		rayQueryInitializeEXT(query, accelerationStructureEXT(scene), flags, 0xff,
				      ray.origin_near.xyz, ray.origin_near.w, ray.direction_far.xyz,
				      ray.direction_far.w);
		while (rayQueryProceedEXT(query))
			; // all triangles are opaque, so no candidate needs a decision
		hit = rayQueryGetIntersectionTypeEXT(query, true) !=
		      gl_RayQueryCommittedIntersectionNoneEXT;
		if (KIND != ANY) {
			t.word[i] = hit ? floatBitsToUint(rayQueryGetIntersectionTEXT(query, true))
					: INFINITE;
			answer.word[i] =
				hit ? uint(rayQueryGetIntersectionPrimitiveIndexEXT(query, true))
				    : MISS;
		}
	}
	if (KIND != ANY)
		return;
	if (lane < 2)
		bits[lane] = 0;
	barrier();
	if (hit)
		atomicOr(bits[lane / 32], 1u << (lane % 32));
	barrier();
	if (lane % 32 == 0 && there)
		answer.word[i / 32] = bits[lane / 32];
}
