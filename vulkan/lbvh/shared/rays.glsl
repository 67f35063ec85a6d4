// rays.glsl -- the rays of a trace, the kind of query and the output buffers (struct lbvh_vk_push in
// trace.c).

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

// The layout of lbvh_ray in common/lbvh_types.h.
struct Ray {
	vec4 origin_near, direction_far;
};

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Rays { Ray ray[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };

layout(push_constant, std430) uniform Push
{
	uvec2 scene;  // address of the top level
	Rays rays;    // rays of a stream
	Words t;      // bits of the distances
	Words answer; // primitives, or one bit per ray
	vec3 eye;     // camera of an image: eye and directions
	uint edge;    // the number of rays is edge * edge
	vec3 corner;
	float unused_0;
	vec3 dx;
	float unused_1;
	vec3 dy;
	float unused_2;
};

// The primary rays of an image, nearest hits of a stream, or any hits of a stream (occlusion).
const uint IMAGE = 0, NEAREST = 1, ANY = 2;
layout(constant_id = 0) const uint KIND = IMAGE;

const uint INFINITE = 0x7f800000u, MISS = 0xffffffffu;
const float FARTHEST = 3.402823466e38;

// Ray i of a stream, or the ray of pixel (x, y) of an image.  The arithmetic is that of
// lbvh_direction(); `precise` makes each operation round once.
Ray ray_of(uint i, uint x, uint y)
{
	Ray ray;

	if (KIND != IMAGE) {
		ray = rays.ray[i];
		ray.direction_far.w = min(ray.direction_far.w, FARTHEST);
		return ray;
	}
	precise vec3 d = (corner + float(x) * dx) + float(y) * dy;
	precise float squared = (d.x * d.x + d.y * d.y) + d.z * d.z;
	precise float inverse = 1.0 / sqrt(squared);
	precise vec3 unit = d * inverse;
	ray.origin_near = vec4(eye, 0.0);
	ray.direction_far = vec4(unit, FARTHEST);
	return ray;
}
