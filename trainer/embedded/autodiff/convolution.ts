import { linear } from "./dense.ts";
import { type Tape, type Tensor, wantsGrad } from "./tape.ts";

/**
 * Convolution along the rows with zero padding: row i sees rows i-r … i+r, r = (width - 1) / 2.
 * @param weight (width * x.cols) x n, the offsets in ascending order.
 */
export function conv1d(tape: Tape, x: Tensor, weight: Tensor, bias: Tensor): Tensor {
  const width = weight.rows / x.cols;
  const reach = (width - 1) / 2;
  const unfolded = tape.output(x.rows, weight.rows);
  unfolded.data.fill(0);
  const visit = (copy: (from: number, to: number) => void) => {
    for (let i = 0; i < x.rows; i++) {
      for (let offset = -reach; offset <= reach; offset++) {
        const source = i + offset;
        if (source >= 0 && source < x.rows) {
          copy(source * x.cols, i * weight.rows + (offset + reach) * x.cols);
        }
      }
    }
  };
  visit((from, to) => {
    for (let c = 0; c < x.cols; c++) unfolded.data[to + c] = x.data[from + c]!;
  });
  tape.record(() => {
    if (!wantsGrad(x)) return;
    visit((from, to) => {
      for (let c = 0; c < x.cols; c++) x.grad[from + c] = x.grad[from + c]! + unfolded.grad[to + c]!;
    });
  });
  return linear(tape, unfolded, weight, bias);
}

/** An image as a tensor: height*width rows, one column a channel. */
export interface ImageShape {
  height: number;
  width: number;
}

/** Size after a convolution. */
export function convolvedShape(
  shape: ImageShape,
  kernel: number,
  stride: number,
  padding: number,
): ImageShape {
  const side = (length: number) => Math.floor((length + 2 * padding - kernel) / stride) + 1;
  return { height: side(shape.height), width: side(shape.width) };
}

/**
 * Convolution over an image, zero-padded.
 * @param weight (kernel * kernel * channels) x n, ordered by row, column, channel.
 */
export function conv2d(
  tape: Tape,
  x: Tensor,
  shape: ImageShape,
  weight: Tensor,
  bias: Tensor,
  { kernel, stride, padding }: { kernel: number; stride: number; padding: number },
): Tensor {
  const { height, width } = convolvedShape(shape, kernel, stride, padding);
  const channels = x.cols;
  const patch = kernel * kernel * channels;
  const unfolded =
    wantsGrad(x) || !tape.recording ? tape.output(height * width, patch) : tape.zeros(height * width, patch);
  unfolded.data.fill(0);
  const visit = (copy: (from: number, to: number) => void) => {
    for (let y = 0; y < height; y++) {
      for (let x0 = 0; x0 < width; x0++) {
        const row = (y * width + x0) * patch;
        for (let ky = 0; ky < kernel; ky++) {
          const sy = y * stride - padding + ky;
          if (sy < 0 || sy >= shape.height) continue;
          for (let kx = 0; kx < kernel; kx++) {
            const sx = x0 * stride - padding + kx;
            if (sx < 0 || sx >= shape.width) continue;
            copy((sy * shape.width + sx) * channels, row + (ky * kernel + kx) * channels);
          }
        }
      }
    }
  };
  visit((from, to) => {
    for (let c = 0; c < channels; c++) unfolded.data[to + c] = x.data[from + c]!;
  });
  tape.record(() => {
    if (!wantsGrad(x)) return;
    visit((from, to) => {
      for (let c = 0; c < channels; c++) x.grad[from + c] = x.grad[from + c]! + unfolded.grad[to + c]!;
    });
  });
  return linear(tape, unfolded, weight, bias);
}
