/* @model@ as C, written by Highwater @version@.
 *
 * All activations lie in one arena of @NET@_ARENA_BYTES bytes, which the caller gives, at an
 * address that is a multiple of @NET@_ARENA_ALIGNMENT. Nothing is allocated, and nothing is kept from one
 * run to the next: several arenas may run at the same time. One run, on the kernels that come along:
 *
 *     put each input at arena + @NET@_INPUT_..._OFFSET; a run overwrites it
 *     if (@net@_invoke(arena, 0, 0, &@net@_reference_kernels) != 0) ...
 *     take each output from arena + @NET@_OUTPUT_..._OFFSET
 *
 * A number x of a tensor stands for (x - ZERO_POINT) * SCALE.
 *
@order@ */
#ifndef HIGHWATER_NET_@net@
#define HIGHWATER_NET_@net@

@types@
@sizes@
#ifdef __cplusplus
extern "C" {
#endif

/* Runs the network once. 0, or the status of the kernel that failed: -1, ARM_CMSIS_NN_ARG_ERROR, is
 * also told where a pointer or an entry of the table that is needed (@entries@) is 0, or
 * the scratch is too small. */
int32_t @net@_invoke(unsigned char *arena, void *scratch, int32_t scratch_bytes,
                     const struct highwater_kernels *kernels);

/* Bytes of scratch that these kernels need; 0 for the reference kernels. */
int32_t @net@_scratch_bytes(const struct highwater_kernels *kernels);

/* Of the file's own text; leave them out with -DHIGHWATER_NO_REFERENCE. */
extern const struct highwater_kernels @net@_reference_kernels;
#ifdef HIGHWATER_CMSIS_NN
extern const struct highwater_kernels @net@_cmsis_nn_kernels;
#endif

#ifdef __cplusplus
}
#endif

#endif
