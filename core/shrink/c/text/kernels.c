#ifndef HIGHWATER_REFERENCE_KERNELS
#define HIGHWATER_REFERENCE_KERNELS

/* Reference kernels: the arithmetic of TFLite's, bit for bit. They make rows from the top to the
 * bottom and write a row after all that it is made of has been read. */

static int32_t hw_wrapped_sum(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a + (uint32_t)b);
}

static int32_t hw_clamped(int32_t x, int32_t least, int32_t most) {
  return x < least ? least : x > most ? most : x;
}

/* Upper half of twice the product, rounded to the nearest. */
static int32_t hw_high_product(int32_t a, int32_t b) {
  const int64_t product = (int64_t)a * b;
  if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
  return (int32_t)((product + (product >= 0 ? 1 << 30 : 1 - (1 << 30))) / ((int64_t)1 << 31));
}

/* x / 2^exponent, rounded to the nearest, halves away from zero. */
static int32_t hw_divided(int32_t x, int32_t exponent) {
  const int64_t half = ((int64_t)1 << exponent) / 2;
  return (int32_t)(((int64_t)x + (x < 0 ? -half : half)) / ((int64_t)1 << exponent));
}

/* x * multiplier / 2^31 * 2^shift. */
static int32_t hw_scaled(int32_t x, int32_t multiplier, int32_t shift) {
  if (shift > 0) return hw_high_product((int32_t)((uint32_t)x << shift), multiplier);
  return hw_divided(hw_high_product(x, multiplier), -shift);
}

static int8_t hw_output(int32_t sum, int32_t multiplier, int32_t shift, int32_t offset,
                        const cmsis_nn_activation *activation) {
  const int32_t made = hw_wrapped_sum(hw_scaled(sum, multiplier, shift), offset);
  return (int8_t)hw_clamped(made, activation->min, activation->max);
}

static arm_cmsis_nn_status hw_convolve(const cmsis_nn_context *context,
                                       const cmsis_nn_conv_params *params,
                                       const cmsis_nn_per_channel_quant_params *quant,
                                       const cmsis_nn_dims *input_dims, const int8_t *input,
                                       const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                       const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                       const cmsis_nn_dims *output_dims, int8_t *output) {
  const int32_t group = output_dims->c / (input_dims->c / filter_dims->c);
  int32_t y, x, c, j, i, k;
  (void)context;
  (void)bias_dims;
  for (y = 0; y < output_dims->h; ++y) {
    for (x = 0; x < output_dims->w; ++x) {
      for (c = 0; c < output_dims->c; ++c) {
        const int8_t *weights = filter + c * filter_dims->h * filter_dims->w * filter_dims->c;
        int32_t sum = 0;
        for (j = 0; j < filter_dims->h; ++j) {
          const int32_t row = y * params->stride.h - params->padding.h + j * params->dilation.h;
          for (i = 0; i < filter_dims->w; ++i, weights += filter_dims->c) {
            const int32_t column = x * params->stride.w - params->padding.w + i * params->dilation.w;
            const int8_t *pixel;
            if (row < 0 || row >= input_dims->h || column < 0 || column >= input_dims->w) continue;
            pixel = input + (row * input_dims->w + column) * input_dims->c +
                    c / group * filter_dims->c;
            for (k = 0; k < filter_dims->c; ++k) {
              sum += weights[k] * (pixel[k] + params->input_offset);
            }
          }
        }
        if (bias != 0) sum = hw_wrapped_sum(sum, bias[c]);
        *output++ = hw_output(sum, quant->multiplier[c], quant->shift[c], params->output_offset,
                              &params->activation);
      }
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}

static arm_cmsis_nn_status hw_depthwise(const cmsis_nn_context *context,
                                        const cmsis_nn_dw_conv_params *params,
                                        const cmsis_nn_per_channel_quant_params *quant,
                                        const cmsis_nn_dims *input_dims, const int8_t *input,
                                        const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                        const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                        const cmsis_nn_dims *output_dims, int8_t *output) {
  int32_t y, x, c, j, i;
  (void)context;
  (void)bias_dims;
  for (y = 0; y < output_dims->h; ++y) {
    for (x = 0; x < output_dims->w; ++x) {
      for (c = 0; c < output_dims->c; ++c) {
        const int8_t *weight = filter + c;
        int32_t sum = 0;
        for (j = 0; j < filter_dims->h; ++j) {
          const int32_t row = y * params->stride.h - params->padding.h + j * params->dilation.h;
          for (i = 0; i < filter_dims->w; ++i, weight += output_dims->c) {
            const int32_t column = x * params->stride.w - params->padding.w + i * params->dilation.w;
            if (row < 0 || row >= input_dims->h || column < 0 || column >= input_dims->w) continue;
            sum += *weight * (input[(row * input_dims->w + column) * input_dims->c +
                                    c / params->ch_mult] + params->input_offset);
          }
        }
        if (bias != 0) sum = hw_wrapped_sum(sum, bias[c]);
        *output++ = hw_output(sum, quant->multiplier[c], quant->shift[c], params->output_offset,
                              &params->activation);
      }
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}

static arm_cmsis_nn_status hw_connect(const cmsis_nn_context *context,
                                      const cmsis_nn_fc_params *params,
                                      const cmsis_nn_quant_params *quant,
                                      const cmsis_nn_dims *input_dims, const int8_t *input,
                                      const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                      const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                      const cmsis_nn_dims *output_dims, int8_t *output) {
  int32_t n, c, k;
  (void)context;
  (void)bias_dims;
  for (n = 0; n < input_dims->n; ++n, input += filter_dims->n) {
    for (c = 0; c < output_dims->c; ++c) {
      const int8_t *weights = filter + c * filter_dims->n;
      const int32_t scale = quant->is_per_channel != 0 ? c : 0;
      int32_t sum = 0;
      for (k = 0; k < filter_dims->n; ++k) {
        sum += (weights[k] + params->filter_offset) * (input[k] + params->input_offset);
      }
      if (bias != 0) sum = hw_wrapped_sum(sum, bias[c]);
      *output++ = hw_output(sum, quant->multiplier[scale], quant->shift[scale],
                            params->output_offset, &params->activation);
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}

/* Pool of the kind that `average` says. */
static arm_cmsis_nn_status hw_pool(int average, const cmsis_nn_pool_params *params,
                                   const cmsis_nn_dims *input_dims, const int8_t *input,
                                   const cmsis_nn_dims *filter_dims,
                                   const cmsis_nn_dims *output_dims, int8_t *output) {
  int32_t y, x, c, j, i;
  for (y = 0; y < output_dims->h; ++y) {
    for (x = 0; x < output_dims->w; ++x) {
      for (c = 0; c < output_dims->c; ++c) {
        int32_t sum = 0, greatest = -128, count = 0;
        for (j = 0; j < filter_dims->h; ++j) {
          const int32_t row = y * params->stride.h - params->padding.h + j;
          for (i = 0; i < filter_dims->w; ++i) {
            const int32_t column = x * params->stride.w - params->padding.w + i;
            int32_t given;
            if (row < 0 || row >= input_dims->h || column < 0 || column >= input_dims->w) continue;
            given = input[(row * input_dims->w + column) * input_dims->c + c];
            greatest = given > greatest ? given : greatest;
            sum += given;
            ++count;
          }
        }
        if (count == 0) return ARM_CMSIS_NN_ARG_ERROR;
        sum = (sum + (sum > 0 ? count / 2 : -(count / 2))) / count;
        *output++ = (int8_t)hw_clamped(average ? sum : greatest, params->activation.min,
                                       params->activation.max);
      }
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}

static arm_cmsis_nn_status hw_average_pool(const cmsis_nn_context *context,
                                           const cmsis_nn_pool_params *params,
                                           const cmsis_nn_dims *input_dims, const int8_t *input,
                                           const cmsis_nn_dims *filter_dims,
                                           const cmsis_nn_dims *output_dims, int8_t *output) {
  (void)context;
  return hw_pool(1, params, input_dims, input, filter_dims, output_dims, output);
}

static arm_cmsis_nn_status hw_max_pool(const cmsis_nn_context *context,
                                       const cmsis_nn_pool_params *params,
                                       const cmsis_nn_dims *input_dims, const int8_t *input,
                                       const cmsis_nn_dims *filter_dims,
                                       const cmsis_nn_dims *output_dims, int8_t *output) {
  (void)context;
  return hw_pool(0, params, input_dims, input, filter_dims, output_dims, output);
}

static arm_cmsis_nn_status hw_add(const int8_t *a, const int8_t *b, int32_t a_offset,
                                  int32_t a_multiplier, int32_t a_shift, int32_t b_offset,
                                  int32_t b_multiplier, int32_t b_shift, int32_t left_shift,
                                  int8_t *output, int32_t output_offset,
                                  int32_t output_multiplier, int32_t output_shift, int32_t least,
                                  int32_t most, int32_t count) {
  const cmsis_nn_activation activation = {least, most};
  int32_t i;
  for (i = 0; i < count; ++i) {
    const int32_t first = hw_scaled((a[i] + a_offset) * (1 << left_shift), a_multiplier, a_shift);
    const int32_t second = hw_scaled((b[i] + b_offset) * (1 << left_shift), b_multiplier, b_shift);
    output[i] = hw_output(hw_wrapped_sum(first, second), output_multiplier, output_shift,
                          output_offset, &activation);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

static arm_cmsis_nn_status hw_subtract(const int8_t *a, const int8_t *b, int32_t a_offset,
                                       int32_t a_multiplier, int32_t a_shift, int32_t b_offset,
                                       int32_t b_multiplier, int32_t b_shift, int32_t left_shift,
                                       int8_t *output, int32_t output_offset,
                                       int32_t output_multiplier, int32_t output_shift,
                                       int32_t least, int32_t most, int32_t count) {
  const cmsis_nn_activation activation = {least, most};
  int32_t i;
  for (i = 0; i < count; ++i) {
    const int32_t first = hw_scaled((a[i] + a_offset) * (1 << left_shift), a_multiplier, a_shift);
    const int32_t second = hw_scaled((b[i] + b_offset) * (1 << left_shift), b_multiplier, b_shift);
    output[i] = hw_output((int32_t)((uint32_t)first - (uint32_t)second), output_multiplier,
                          output_shift, output_offset, &activation);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

static arm_cmsis_nn_status hw_multiply(const int8_t *a, const int8_t *b, int32_t a_offset,
                                       int32_t b_offset, int8_t *output, int32_t output_offset,
                                       int32_t output_multiplier, int32_t output_shift,
                                       int32_t least, int32_t most, int32_t count) {
  const cmsis_nn_activation activation = {least, most};
  int32_t i;
  for (i = 0; i < count; ++i) {
    output[i] = hw_output((a[i] + a_offset) * (b[i] + b_offset), output_multiplier, output_shift,
                          output_offset, &activation);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

static int32_t hw_left_saturated(int32_t x, int32_t by) {
  const int64_t made = (int64_t)x * ((int64_t)1 << by);
  return made > INT32_MAX ? INT32_MAX : made < INT32_MIN ? INT32_MIN : (int32_t)made;
}

/* e^x for x <= 0 with five bits in front of the point; the result has none. */
static int32_t hw_exp(int32_t x) {
  /* e^(-1/4), e^(-1/2), e^-1, e^-2, e^-4, e^-8, e^-16 */
  static const int32_t powers[7] = {1672461947, 1302514674, 790015084, 290630308,
                                    39332535,   720401,     242};
  const int32_t quarter = (int32_t)1 << 24;
  const int32_t inside = (int32_t)((uint32_t)x & (uint32_t)(quarter - 1)) - quarter;
  const uint32_t rest = (uint32_t)inside - (uint32_t)x;
  const int32_t t = inside * 32 + (1 << 28); /* From -1/8 on: four terms of the series. */
  const int32_t t2 = hw_high_product(t, t);
  const int32_t t3 = hw_high_product(t2, t);
  const int32_t t4 = hw_high_product(t2, t2);
  const int32_t higher = hw_high_product(hw_divided(t4, 2) + t3, 715827883) + t2;
  int32_t result = 1895147668 + hw_high_product(1895147668, t + hw_divided(higher, 1));
  int bit;
  if (x == 0) return INT32_MAX;
  for (bit = 0; bit < 7; ++bit) {
    if ((rest >> (24 + bit) & 1) != 0) result = hw_high_product(result, powers[bit]);
  }
  return result;
}

/* 1 / (1 + x) for x in [0, 1), no bits in front of the point, by Newton's method. */
static int32_t hw_one_over_one_plus(int32_t x) {
  const int32_t half = (int32_t)(((int64_t)x + INT32_MAX + 1) / 2);
  int32_t result = 1515870810 + hw_high_product(half, -1010580540); /* 48/17 - 32/17 * half */
  int i;
  for (i = 0; i < 3; ++i) {
    const int32_t rest = (1 << 29) - hw_high_product(half, result);
    result += hw_left_saturated(hw_high_product(result, rest), 2);
  }
  return hw_left_saturated(result, 1);
}

static void hw_softmax(const int8_t *input, int32_t rows, int32_t row_size, int32_t multiplier,
                       int32_t shift, int32_t least_difference, int8_t *output) {
  int32_t row, i;
  for (row = 0; row < rows; ++row, input += row_size, output += row_size) {
    uint32_t sum = 0;
    int32_t greatest = -128, bits = 35, scale;
    for (i = 0; i < row_size; ++i) greatest = input[i] > greatest ? input[i] : greatest;
    for (i = 0; i < row_size; ++i) {
      const int32_t difference = input[i] - greatest;
      if (difference < least_difference) continue;
      sum += (uint32_t)hw_divided(hw_exp(hw_scaled(difference, multiplier, shift)), 12);
    }
    for (; (sum >> 31) == 0; sum <<= 1) --bits;
    scale = hw_one_over_one_plus((int32_t)(sum - ((uint32_t)1 << 31)));
    for (i = 0; i < row_size; ++i) {
      const int32_t difference = input[i] - greatest;
      int32_t made = -128;
      if (difference >= least_difference) {
        const int32_t power = hw_exp(hw_scaled(difference, multiplier, shift));
        made += hw_divided(hw_high_product(scale, power), bits);
      }
      output[i] = (int8_t)hw_clamped(made, -128, 127);
    }
  }
}

static arm_cmsis_nn_status hw_pad(const int8_t *input, int8_t *output, int8_t value,
                                  const cmsis_nn_dims *input_dims, const cmsis_nn_dims *before,
                                  const cmsis_nn_dims *behind) {
  int32_t n, y, x, c;
  for (n = -before->n; n < input_dims->n + behind->n; ++n) {
    for (y = -before->h; y < input_dims->h + behind->h; ++y) {
      for (x = -before->w; x < input_dims->w + behind->w; ++x) {
        for (c = -before->c; c < input_dims->c + behind->c; ++c) {
          const int inside = n >= 0 && n < input_dims->n && y >= 0 && y < input_dims->h && x >= 0 &&
                             x < input_dims->w && c >= 0 && c < input_dims->c;
          *output++ = inside ? *input++ : value;
        }
      }
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}

static void hw_mean(const int8_t *input, int32_t outer, int32_t count, int32_t inner,
                    int32_t input_offset, int32_t multiplier, int32_t shift, int32_t output_offset,
                    int8_t *output) {
  const cmsis_nn_activation activation = {-128, 127};
  int32_t o, i, k;
  for (o = 0; o < outer; ++o, input += count * inner) {
    for (i = 0; i < inner; ++i) {
      int32_t sum = 0;
      for (k = 0; k < count; ++k) sum += input[k * inner + i] + input_offset;
      *output++ = hw_output(sum, multiplier, shift, output_offset, &activation);
    }
  }
}

static void hw_resize(const int8_t *input, int32_t input_width, int32_t channels,
                      const uint16_t *rows, const uint16_t *columns, int8_t *output,
                      int32_t output_height, int32_t output_width) {
  int32_t y, x, c;
  for (y = 0; y < output_height; ++y) {
    for (x = 0; x < output_width; ++x) {
      const int8_t *pixel = input + (rows[y] * input_width + columns[x]) * channels;
      for (c = 0; c < channels; ++c) *output++ = pixel[c];
    }
  }
}

static void hw_lookup(const int8_t *input, const int8_t *table, int8_t *output, int32_t count) {
  int32_t i;
  for (i = 0; i < count; ++i) output[i] = table[input[i] + 128];
}

static void hw_quantize(const float *input, float scale, int32_t zero, int8_t *output,
                        int32_t count) {
  int32_t i;
  for (i = 0; i < count; ++i) {
    const float x = input[i] / scale;
    const float bounded = x > 512.0f ? 512.0f : x > -512.0f ? x : -512.0f;
    int32_t whole = (int32_t)bounded;
    const float rest = bounded - (float)whole;
    whole += rest >= 0.5f ? 1 : rest <= -0.5f ? -1 : 0;
    output[i] = (int8_t)hw_clamped(whole + zero, -128, 127);
  }
}

static void hw_dequantize(const int8_t *input, float scale, int32_t zero, float *output,
                          int32_t count) {
  int32_t i;
  for (i = 0; i < count; ++i) output[i] = scale * (float)(input[i] - zero);
}

#endif /* HIGHWATER_REFERENCE_KERNELS */
