// SPDX-License-Identifier: Apache-2.0
/* What a library for --plugin may define: translations and shape rules of operators that it
 * registers with LibTorch (TORCH_LIBRARY). Plain C; docs/extending.md explains it with an example.
 *
 * A library that defines t2nnef_plugin_v1() keeps working with every later version of t2nnef that
 * lists version 1 in docs/stability.md. Members are only ever added at the end of t2nnef_host. */
#ifndef T2NNEF_PLUGIN_H
#define T2NNEF_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define T2NNEF_PLUGIN_VERSION 1
/* Grows with each function that t2nnef_host gains. */
#define T2NNEF_HOST_VERSION 2

/* One call of an operator in a model. Valid, like every text that is returned for it, until the
 * function that got it returns. */
typedef struct t2nnef_call t2nnef_call;

/* The functions of t2nnef. Arguments have their names in the operator's schema; "xs[0]" is the
 * first tensor of a list. Functions that return int return 1, or 0 if the call has no such argument
 * of that type. */
typedef struct t2nnef_host {
  uint32_t version; /* the T2NNEF_HOST_VERSION of this t2nnef */
  /* "f32", "i64", "bool"; NULL if the argument is no tensor. */
  const char* (*dtype)(t2nnef_call* call, const char* argument);
  /* -1 if the argument is no tensor. */
  int (*rank)(t2nnef_call* call, const char* argument);
  /* A number, or an expression over the symbols of --dynamic: "8", "S", "2*S+1". NULL if there is
   * no such axis. */
  const char* (*size)(t2nnef_call* call, const char* argument, int axis);
  int (*number)(t2nnef_call* call, const char* argument, double* value);
  int (*integer)(t2nnef_call* call, const char* argument, int64_t* value);
  int (*boolean)(t2nnef_call* call, const char* argument, int* value);
  const char* (*text)(t2nnef_call* call, const char* argument); /* NULL if it is no string */
  /* Gives a parameter of the fragment that is no argument of the operator an NNEF literal: "[0,
   * 2]".
   */
  void (*set)(t2nnef_call* call, const char* parameter, const char* literal);
  /* Refuses the call: the export fails with this reason. */
  void (*refuse)(t2nnef_call* call, const char* why);
  /* Since version 2: test it before a plugin that also serves older ones calls them. */
  /* The length of a list of tensors; -1 if the argument is none. */
  int (*tensors)(t2nnef_call* call, const char* argument);
  /* The elements of a list, `float[]` or `int[]`; NULL if the argument is none. */
  const double* (*numbers)(t2nnef_call* call, const char* argument, size_t* count);
  const int64_t* (*integers)(t2nnef_call* call, const char* argument, size_t* count);
} t2nnef_host;

typedef struct t2nnef_operator {
  const char* name; /* "mine::swish", or "mine::swish.overload" */
  /* The translation: the name of the fragment that this call becomes. Parameters of the fragment
   * with names of arguments get these. */
  const char* (*fragment)(const t2nnef_host* host, t2nnef_call* call);
  /* The shape rule: the sizes of a result, "[B,S-2]". NULL: they are those of the fragment's body,
   * if each is fixed or that of an operand's axis. */
  const char* (*shape)(const t2nnef_host* host, t2nnef_call* call, size_t result);
} t2nnef_operator;

typedef struct t2nnef_plugin {
  uint32_t version;      /* T2NNEF_PLUGIN_VERSION */
  const char* fragments; /* NNEF text with all fragments that the functions name, and helpers */
  size_t count;
  const t2nnef_operator* operators;
} t2nnef_plugin;

/* The one function that t2nnef calls by its name, once, after the library is loaded. */
const t2nnef_plugin* t2nnef_plugin_v1(void);

#ifdef __cplusplus
}
#endif

#endif
