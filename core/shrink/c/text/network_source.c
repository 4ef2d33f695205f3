/* @model@ as C, written by Highwater @version@: see @header@. */
#include "@header@"

#include <string.h>

@order@
struct @net@_run {
  unsigned char *arena; /* 0: nothing runs, kernels only say how much scratch they need. */
  void *scratch;
  int32_t scratch_bytes;
  int32_t most; /* The most that a kernel needed so far. */
  const struct highwater_kernels *kernels;
};

@arrays@@helpers@@functions@@steps@
int32_t @net@_invoke(unsigned char *arena, void *scratch, int32_t scratch_bytes,
                     const struct highwater_kernels *kernels) {
  struct @net@_run run;
  if (arena == 0 || kernels == 0@missing@) return ARM_CMSIS_NN_ARG_ERROR;
  run.arena = arena;
  run.scratch = scratch;
  run.scratch_bytes = scratch == 0 ? 0 : scratch_bytes;
  run.most = 0;
  run.kernels = kernels;
  return @net@_steps(&run);
}

int32_t @net@_scratch_bytes(const struct highwater_kernels *kernels) {
  struct @net@_run run;
  if (kernels == 0) return 0;
  run.arena = 0;
  run.scratch = 0;
  run.scratch_bytes = 0;
  run.most = 0;
  run.kernels = kernels;
  @net@_steps(&run);
  return run.most;
}

#ifndef HIGHWATER_NO_REFERENCE
@kernels@
const struct highwater_kernels @net@_reference_kernels = {
    hw_convolve, 0, hw_depthwise, 0, hw_connect, 0, 0, hw_average_pool, 0, hw_max_pool, hw_add,
    hw_subtract, hw_multiply, hw_softmax, hw_pad, hw_mean, hw_resize, hw_lookup, hw_quantize,
    hw_dequantize};
#ifdef HIGHWATER_CMSIS_NN
const struct highwater_kernels @net@_cmsis_nn_kernels = {
    arm_convolve_wrapper_s8, arm_convolve_wrapper_s8_get_buffer_size, arm_depthwise_conv_wrapper_s8,
    arm_depthwise_conv_wrapper_s8_get_buffer_size, arm_fully_connected_wrapper_s8,
    arm_fully_connected_s8_get_buffer_size, arm_vector_sum_s8, arm_avgpool_s8,
    arm_avgpool_s8_get_buffer_size, arm_max_pool_s8, arm_elementwise_add_s8, hw_subtract,
    arm_elementwise_mul_s8, arm_softmax_s8, arm_pad_s8, hw_mean, hw_resize, hw_lookup, hw_quantize,
    hw_dequantize};
#endif
#endif
