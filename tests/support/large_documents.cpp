#include "tests/support/large_documents.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace hw {
namespace {

/// The elements of a list of JSON, or of anything with commas between.
template <class Write>
void writeList(std::ostream& out, int count, const Write& write) {
  for (int i = 0; i < count; ++i) {
    if (i > 0) out << ",\n";
    write(i);
  }
}

int offsetOf(int i) { return 64 * (i % 2); }

void writeGraphJson(std::ostream& out, int count) {
  out << R"({"format":"highwater-graph","version":1,"name":"chain","tensors":[)";
  writeList(out, count + 1, [&](int i) {
    fmt::print(out, R"({{"name":"t{}","shape":[1,16],"dtype":"float32"}})", i);
  });
  fmt::print(out, R"(],"inputs":["t0"],"outputs":["t{}"],"ops":[)", count);
  writeList(out, count, [&](int i) {
    fmt::print(out, R"({{"name":"op{}","type":"Relu","inputs":["t{}"],"outputs":["t{}"]}})", i, i,
               i + 1);
  });
  out << "]}";
}

void writeProblemCsv(std::ostream& out, int count) {
  out << "id,lower,upper,size,offset\n";
  for (int i = 0; i < count; ++i) fmt::print(out, "t{},{},{},64,{}\n", i, i, i + 2, offsetOf(i));
}

void writePlanJson(std::ostream& out, int count) {
  out << R"({"format":"highwater-plan","version":1,"model":{"name":"chain"},"allocator":"none",)"
      << R"("alignment":1,"status":"complete","placements":[)";
  writeList(out, count, [&](int i) {
    fmt::print(out, R"({{"tensor":"t{}","pool":"L2","offset":{},"size":64,"first":{},"last":{}}})",
               i, offsetOf(i), i, i + 1);
  });
  out << "]}";
}

void writeTflmLog(std::ostream& out, int count) {
  for (int i = 0; i < count; ++i) {
    fmt::print(out, "c (id={}): size=64, offset={}, first_used={} last_used={}\n", i, offsetOf(i),
               i, i + 1);
  }
}

void writeVelaLog(std::ostream& out, int count) {
  out << "Tensor Allocation for mem_area Sram, of mem_type_set (Scratch), using allocator X, in\n";
  for (int i = 0; i < count; ++i) {
    fmt::print(out, "{} - {}: 0x{:x} - 0x{:x}: 64: 128: FeatureMap: t{}\n", i, i + 1, offsetOf(i),
               offsetOf(i) + 64, i);
  }
}

void writeXlaDump(std::ostream& out, int count) {
  out << "BufferAssignment:\nallocation 0: size 128, preallocated-temp:\n";
  for (int i = 0; i < count; ++i) {
    fmt::print(out, " value: <{} f.{}{{}} @0> (size=64,offset={}): f32[16]{{0}}\n", i, i,
               offsetOf(i));
  }
  out << "\nBufferLiveRange:\n";
  for (int i = 0; i < count; ++i) fmt::print(out, "    f.{}{{}}:{}-{}\n", i, i, i + 1);
}

void writeStNetwork(std::ostream& out, int count) {
  out << R"({"buffers":[)";
  writeList(out, count, [&](int i) {
    fmt::print(out,
               R"({{"name":"t{}","is_param":false,"mpool_id":1,"epochs":{{"start":{},"end":{}}},)"
               R"("size_bytes":64,"offset_start":{},"flags":"","format":"STAI_FORMAT_S8"}})",
               i, i, i + 1, offsetOf(i));
  });
  out << R"(],"graphs":[{"name":"chain"}],"json_schema_version":"2.0",)"
      << R"("memory_pools":[{"id":1,"name":"p","used_size_bytes":128}]})";
}

void writeAllocLog(std::ostream& out, int count) {
  out << "time,event,id,size,address\n";
  for (int i = 0; i < count; ++i) {
    fmt::print(out, "{},alloc,t{},64,{}\n", 2 * i, i, 4096 + offsetOf(i));
    if (i > 0) fmt::print(out, "{},free,t{},,\n", 2 * i + 1, i - 1);
  }
}

void writeOrtProfile(std::ostream& out, int count) {
  out << R"([{"cat":"Session","name":"session_initialization","dur":1,"ts":1,"args":{}},)";
  writeList(out, count, [&](int i) {
    fmt::print(out,
               R"({{"cat":"Node","dur":1,"ts":{},"name":"op{}_kernel_time","args":)"
               R"({{"op_name":"Relu","node_index":"{}","output_size":"64","activation_size":"64",)"
               R"("parameter_size":"0","output_type_shape":[{{"float":[1,16]}}]}}}})",
               10 + 2 * i, i, i);
  });
  fmt::print(out, R"(,{{"cat":"Session","name":"model_run","dur":1,"ts":{},"args":{{}}}}])",
             10 + 2 * count);
}

constexpr LargeDocument kDocuments[] = {
    {"graph.json", writeGraphJson},     {"problem.csv", writeProblemCsv},
    {"plan.json", writePlanJson},       {"tflm.log", writeTflmLog},
    {"vela.log", writeVelaLog},         {"xla.txt", writeXlaDump},
    {"st_c_info.json", writeStNetwork}, {"alloc.csv", writeAllocLog},
    {"ort.json", writeOrtProfile}};

}  // namespace

std::span<const LargeDocument> largeDocuments() { return kDocuments; }

}  // namespace hw
