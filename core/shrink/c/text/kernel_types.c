#ifndef HIGHWATER_KERNELS
#define HIGHWATER_KERNELS

#include <stdint.h>

/* Types of CMSIS-NN, laid out as in its arm_nn_types.h of July 2026 (commit 99f736a). With
 * HIGHWATER_CMSIS_NN defined they are CMSIS-NN's own, and the compiler holds one against the
 * other. */
#ifdef HIGHWATER_CMSIS_NN
#include "arm_nnfunctions.h"
#else
typedef enum {
  ARM_CMSIS_NN_SUCCESS = 0,
  ARM_CMSIS_NN_ARG_ERROR = -1,
  ARM_CMSIS_NN_NO_IMPL_ERROR = -2,
  ARM_CMSIS_NN_FAILURE = -3
} arm_cmsis_nn_status;
typedef struct {
  int32_t w, h;
} cmsis_nn_tile;
typedef struct {
  void *buf;
  int32_t size;
} cmsis_nn_context;
typedef struct {
  int32_t n, h, w, c;
} cmsis_nn_dims;
typedef struct {
  int32_t *multiplier, *shift;
} cmsis_nn_per_channel_quant_params;
typedef struct {
  int32_t *multiplier, *shift;
  int32_t is_per_channel;
} cmsis_nn_quant_params;
typedef struct {
  int32_t min, max;
} cmsis_nn_activation;
typedef struct {
  int32_t input_offset, output_offset;
  cmsis_nn_tile stride, padding, dilation;
  cmsis_nn_activation activation;
} cmsis_nn_conv_params;
typedef struct {
  int32_t input_offset, output_offset, ch_mult;
  cmsis_nn_tile stride, padding, dilation;
  cmsis_nn_activation activation;
} cmsis_nn_dw_conv_params;
typedef struct {
  cmsis_nn_tile stride, padding;
  cmsis_nn_activation activation;
} cmsis_nn_pool_params;
typedef struct {
  int32_t input_offset, filter_offset, output_offset;
  cmsis_nn_activation activation;
} cmsis_nn_fc_params;
#endif

/* Kernels that a network calls. Where CMSIS-NN has one, the entry has its signature and takes that
 * function as it is; its name stands beside it. The others are Highwater's own. Entries that a
 * network does not use may be 0. The sizes say how many bytes of scratch a kernel needs beside its
 * operands; 0 instead of a function: none. */
struct highwater_kernels {
  /* arm_convolve_wrapper_s8, arm_convolve_wrapper_s8_get_buffer_size */
  arm_cmsis_nn_status (*convolve)(const cmsis_nn_context *context,
                                  const cmsis_nn_conv_params *params,
                                  const cmsis_nn_per_channel_quant_params *quant,
                                  const cmsis_nn_dims *input_dims, const int8_t *input,
                                  const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                  const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                  const cmsis_nn_dims *output_dims, int8_t *output);
  int32_t (*convolve_size)(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input_dims,
                           const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims);
  /* arm_depthwise_conv_wrapper_s8, arm_depthwise_conv_wrapper_s8_get_buffer_size */
  arm_cmsis_nn_status (*depthwise)(const cmsis_nn_context *context,
                                   const cmsis_nn_dw_conv_params *params,
                                   const cmsis_nn_per_channel_quant_params *quant,
                                   const cmsis_nn_dims *input_dims, const int8_t *input,
                                   const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                   const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                   const cmsis_nn_dims *output_dims, int8_t *output);
  int32_t (*depthwise_size)(const cmsis_nn_dw_conv_params *params, const cmsis_nn_dims *input_dims,
                            const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims);
  /* arm_fully_connected_wrapper_s8, arm_fully_connected_s8_get_buffer_size, arm_vector_sum_s8. The
   * sums fill the scratch where the size is not 0, before each call. */
  arm_cmsis_nn_status (*connect)(const cmsis_nn_context *context, const cmsis_nn_fc_params *params,
                                 const cmsis_nn_quant_params *quant,
                                 const cmsis_nn_dims *input_dims, const int8_t *input,
                                 const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                 const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                 const cmsis_nn_dims *output_dims, int8_t *output);
  int32_t (*connect_size)(const cmsis_nn_dims *filter_dims);
  arm_cmsis_nn_status (*connect_sums)(int32_t *sums, int32_t columns, int32_t rows,
                                      const int8_t *filter, int32_t input_offset,
                                      int32_t filter_offset, const int32_t *bias);
  /* arm_avgpool_s8, arm_avgpool_s8_get_buffer_size */
  arm_cmsis_nn_status (*average_pool)(const cmsis_nn_context *context,
                                      const cmsis_nn_pool_params *params,
                                      const cmsis_nn_dims *input_dims, const int8_t *input,
                                      const cmsis_nn_dims *filter_dims,
                                      const cmsis_nn_dims *output_dims, int8_t *output);
  int32_t (*average_pool_size)(int output_width, int channels);
  /* arm_max_pool_s8 */
  arm_cmsis_nn_status (*max_pool)(const cmsis_nn_context *context,
                                  const cmsis_nn_pool_params *params,
                                  const cmsis_nn_dims *input_dims, const int8_t *input,
                                  const cmsis_nn_dims *filter_dims,
                                  const cmsis_nn_dims *output_dims, int8_t *output);
  /* arm_elementwise_add_s8 */
  arm_cmsis_nn_status (*add)(const int8_t *a, const int8_t *b, int32_t a_offset,
                             int32_t a_multiplier, int32_t a_shift, int32_t b_offset,
                             int32_t b_multiplier, int32_t b_shift, int32_t left_shift,
                             int8_t *output, int32_t output_offset, int32_t output_multiplier,
                             int32_t output_shift, int32_t least, int32_t most, int32_t count);
  /* a - b; otherwise as add */
  arm_cmsis_nn_status (*subtract)(const int8_t *a, const int8_t *b, int32_t a_offset,
                                  int32_t a_multiplier, int32_t a_shift, int32_t b_offset,
                                  int32_t b_multiplier, int32_t b_shift, int32_t left_shift,
                                  int8_t *output, int32_t output_offset,
                                  int32_t output_multiplier, int32_t output_shift, int32_t least,
                                  int32_t most, int32_t count);
  /* arm_elementwise_mul_s8 */
  arm_cmsis_nn_status (*multiply)(const int8_t *a, const int8_t *b, int32_t a_offset,
                                  int32_t b_offset, int8_t *output, int32_t output_offset,
                                  int32_t output_multiplier, int32_t output_shift, int32_t least,
                                  int32_t most, int32_t count);
  /* arm_softmax_s8 */
  void (*softmax)(const int8_t *input, int32_t rows, int32_t row_size, int32_t multiplier,
                  int32_t shift, int32_t least_difference, int8_t *output);
  /* arm_pad_s8 */
  arm_cmsis_nn_status (*pad)(const int8_t *input, int8_t *output, int8_t value,
                             const cmsis_nn_dims *input_dims, const cmsis_nn_dims *before,
                             const cmsis_nn_dims *behind);
  /* Mean over the middle one of three axes; the multiplier divides by `count`. */
  void (*mean)(const int8_t *input, int32_t outer, int32_t count, int32_t inner,
               int32_t input_offset, int32_t multiplier, int32_t shift, int32_t output_offset,
               int8_t *output);
  /* Pixel (y, x) of the output is pixel (rows[y], columns[x]) of the input. */
  void (*resize)(const int8_t *input, int32_t input_width, int32_t channels, const uint16_t *rows,
                 const uint16_t *columns, int8_t *output, int32_t output_height,
                 int32_t output_width);
  /* table[x + 128] for each x: functions of one number. */
  void (*lookup)(const int8_t *input, const int8_t *table, int8_t *output, int32_t count);
  /* float to int8 and back: x / scale + zero, rounded halves away from zero. */
  void (*quantize)(const float *input, float scale, int32_t zero, int8_t *output, int32_t count);
  void (*dequantize)(const int8_t *input, float scale, int32_t zero, float *output, int32_t count);
};

#endif /* HIGHWATER_KERNELS */
