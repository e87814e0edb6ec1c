// How Dear ImGui is compiled: its IMGUI_USER_CONFIG, seen by every file that includes imgui.h.
#pragma once

#define IMGUI_DISABLE_OBSOLETE_FUNCTIONS
#define IMGUI_DEFINE_MATH_OPERATORS  // arithmetic of ImVec2
#define ImDrawIdx unsigned int       // a heat map of a large tile passes 65,536 vertices

// Hooks by which the tests find and press what is on the screen; without an engine attached they
// cost a comparison an item.
#define IMGUI_ENABLE_TEST_ENGINE
#define IMGUI_TEST_ENGINE_ENABLE_CAPTURE 1
#define IMGUI_TEST_ENGINE_ENABLE_IMPLOT 0
#define IMGUI_TEST_ENGINE_ENABLE_STD_FUNCTION 1
#define IMGUI_TEST_ENGINE_ENABLE_COROUTINE_STDTHREAD_IMPL 1
