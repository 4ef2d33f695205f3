"""The list of samples and their texts."""

from dataclasses import dataclass, field
from typing import Callable

from . import (classifiers, dense_prediction, inception_v3, mobilenets, small, tiny,
               transformers)
from .figures import Figures, figures_of, live_peak
from .json_writer import write_json
from .onnx_writer import write_onnx
from .small import write_problem

JSON, ONNX, CSV = ".graph.json", ".onnx", ".csv"


@dataclass(frozen=True)
class Sample:
    name: str
    ending: str
    make: Callable  # A Net, or the rows of a planning problem.
    summary: str
    options: dict = field(default_factory=dict)  # Options of a run with which its figure was drawn.

    @property
    def file(self):
        return self.name + self.ending

    def content(self):
        """The file's bytes."""
        made = self.make()
        if self.ending == ONNX:
            return write_onnx(made)
        return (write_json(made) if self.ending == JSON else write_problem(made)).encode()

    def figures(self):
        made = self.make()
        if self.ending != CSV:
            return figures_of(made)
        stays = [row[1:] for row in made]
        return Figures(0, len(stays), sum(size for _, _, size in stays), live_peak(stays), 0, 0)


# Options with which the sources draw their figures.
FREE_LIST = {"allocator": "free-list", "l2": "unlimited"}
ZERO_COPY = {"allocator": "free-list", "l2": "unlimited", "align": "1"}

SAMPLES = [
    Sample("mobilenet_v1", JSON, lambda: mobilenets.mobilenet_v1("mobilenet_v1", "float32"),
           "image classifier without branches: the lower bound is two neighbouring layers"),
    Sample("mobilenet_v1_int8", JSON,
           lambda: mobilenets.mobilenet_v1("mobilenet_v1_int8", "int8"),
           "the same in 8 bits: a quarter of the memory"),
    Sample("mobilenet_v2", JSON, lambda: mobilenets.mobilenet_v2("mobilenet_v2", "float32"),
           "inverted residuals: wide inside, narrow skips around"),
    Sample("mobilenet_v2_int8", JSON,
           lambda: mobilenets.mobilenet_v2("mobilenet_v2_int8", "int8"),
           "the same in 8 bits"),
    Sample("resnet50", ONNX, classifiers.resnet50, "image classifier with short skips"),
    Sample("inception_v3", ONNX, inception_v3.inception_v3,
           "up to six branches side by side, joined by concats"),
    Sample("densenet121", ONNX, classifiers.densenet121,
           "features that stay live for a whole block and go into many concats"),
    Sample("squeezenet", ONNX, classifiers.squeezenet,
           "squeeze and expand: a two-way concat in every block"),
    Sample("unet", ONNX, dense_prediction.unet,
           "segmentation: huge skips that live from the way down to the way up"),
    Sample("yolo", ONNX, dense_prediction.yolo,
           "detector (YOLOv5n): a pyramid of resolutions and a decoding head"),
    Sample("bert_base", ONNX, transformers.bert_base,
           "transformer encoder, 128 tokens: attention by many equal layers"),
    Sample("gpt2_kv_cache", ONNX, transformers.gpt2_kv_cache,
           "one token of a decoder: the key/value cache dwarfs everything else"),
    Sample("ds_cnn", JSON, tiny.ds_cnn, "keyword spotting for microcontrollers, 8 bits"),
    Sample("resnet8", JSON, tiny.resnet8, "image classifier for microcontrollers, 8 bits"),
    Sample("chain", JSON, small.chain, "worked example: five tensors in a row"),
    Sample("residual", JSON, small.residual, "worked example: one skip connection"),
    Sample("inception", JSON, small.inception, "worked example: three branches and a concat"),
    Sample("two_devices", JSON, small.two_devices,
           "worked example: convolutions on one device, the rest on another"),
    Sample("late_input", JSON, small.late_input,
           "worked example: an input that is needed late, and copied beside the operators"),
    Sample("zero_copy", JSON, small.zero_copy,
           "reshape, split and concat that cost nothing, and the ones that must copy"),
    Sample("eight_tensors", CSV, lambda: small.EIGHT_TENSORS,
           "planning problem: the eight tensors of the offset-sharing paper"),
    Sample("free_list_split", CSV, lambda: small.FREE_LIST_SPLIT,
           "planning problem: 16 MiB freed, then cut twice",
           {"allocator": "free-list:threshold=4MiB", "l2": "unlimited"}),
    Sample("free_list_extend", CSV, lambda: small.FREE_LIST_EXTEND,
           "planning problem: the last free block grows by 6 MiB", FREE_LIST),
    Sample("free_list_merge", CSV, lambda: small.FREE_LIST_MERGE,
           "planning problem: three free neighbours become one of 10 MiB", FREE_LIST),
    Sample("three_sizes", CSV, lambda: small.THREE_SIZES,
           "planning problem: 100 bytes freed serve all that follows", FREE_LIST),
    Sample("clusters", JSON, small.clusters,
           "two clusters with an L2 each: what does not fit is handed over in the L3 they share",
           {"allocator": "partition", "platform": "two-clusters", "l2": "90", "align": "1"}),
    Sample("side_by_side", JSON, small.side_by_side,
           "two operators that run at once, one on each cluster",
           {"allocator": "partition", "platform": "two-clusters", "align": "1"}),
    Sample("share_reshape", JSON, small.share_reshape,
           "no copy: a reshape and its input are the same bytes", ZERO_COPY),
    Sample("share_concat", JSON, small.share_concat,
           "no copy: what a concat joins is written where it belongs", ZERO_COPY),
    Sample("share_split", JSON, small.share_split,
           "no copy: parts of a split stay where they are", ZERO_COPY),
    Sample("share_outputs", JSON, small.share_outputs,
           "no copy: both parts of a split are graph outputs, in one block", ZERO_COPY),
]
