// The one header that includes napi.h, with the choices that must precede it.
#pragma once

// Node-API 8: the oldest version with type tags and instance-safe cleanup; one build loads in every Node from 20 on.
#define NAPI_VERSION 8
// A failing wrapper call leaves a pending JavaScript exception instead of throwing: during the teardown of an
// environment every call fails, and a C++ exception there would end the process.
#define NAPI_DISABLE_CPP_EXCEPTIONS
#define NODE_ADDON_API_DISABLE_DEPRECATED
#include <napi.h>
