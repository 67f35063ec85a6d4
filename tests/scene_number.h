/* scene_number.h -- the value of --scene for a scene's name. */
#ifndef GPUBENCH_TESTS_SCENE_NUMBER_H
#define GPUBENCH_TESTS_SCENE_NUMBER_H

#include <stdint.h>
#include <string.h>

#include "datasets/mesh/scene.h"

static inline int64_t scene_number(const char *name)
{
	int64_t number = 0;

	while (strcmp(gb_scene_names[number], name) != 0)
		number++;
	return number;
}

#endif
