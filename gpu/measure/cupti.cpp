// Counting with CUPTI; see cupti.h. Each kernel of a call is a range of its own (auto range), and
// it is we who repeat the call, pass by pass (user replay), so that every pass begins with an empty
// L2 as a timed call does.
#include "gpu/measure/cupti.h"

#include <cmath>
#include <cuda_runtime_api.h>
#include <vector>

#include "gpu/device/device_array.h"
#include "gpu/launch/cuda_check.h"
#include "gpu/measure/counters.h"
#include "gpu/measure/cupti_library.h"
#include "sim/error.h"

namespace flashscope::gpu {
namespace {

constexpr std::size_t kMostKernels = 64;  // of a call
constexpr int kMostPasses = 64;

// CUPTI's parameter structures, cleared but for their size.
template <typename T>
T parameters(std::size_t bytes) {
  T result = {};
  result.structSize = bytes;
  return result;
}
#define FLASHSCOPE_PARAMETERS(type, name) auto name = parameters<type>(type##_STRUCT_SIZE)

// The driver's handle of the context that the runtime uses. The driver is not linked, so that the
// program starts where there is none.
CUcontext current_context() {
  require_success(cudaFree(nullptr), "creating a context");
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  require_success(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &function, 12000,
                                                   cudaEnableDefault, &found),
                  "asking the driver for its context");
  CUcontext context = nullptr;
  if (found != cudaDriverEntryPointSuccess ||
      reinterpret_cast<CUresult (*)(CUcontext*)>(function)(&context) != CUDA_SUCCESS) {
    throw Error("CUPTI: the driver names no current context");
  }
  return context;
}

class RangeProfiler final : public Cupti {
 public:
  explicit RangeProfiler(const CuptiLibrary& library) : cupti_(library) {
    for (const Counter& counter : kCounters) {
      if (!counter.in_hardware) continue;
      counters_.push_back(&counter);
      metrics_.push_back(counter.metric);
    }
    FLASHSCOPE_PARAMETERS(CUpti_Profiler_Initialize_Params, initialize);
    cupti_.check(cupti_.cuptiProfilerInitialize(&initialize), "starting");
    try {
      enable();
      describe_host();
      make_config();
    } catch (...) {
      close();
      throw;
    }
  }
  ~RangeProfiler() override { close(); }
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  std::vector<KernelCounters> count(const std::function<void()>& prepare,
                                    const std::function<void()>& call) override {
    make_counter_data();
    set_config();
    bool done = false;
    for (int pass = 0; !done; ++pass) {
      if (pass == kMostPasses) throw Error("CUPTI: the counters take more passes than we make");
      prepare();
      wait_for_device();
      FLASHSCOPE_PARAMETERS(CUpti_RangeProfiler_Start_Params, start);
      start.pRangeProfilerObject = profiler_;
      cupti_.check(cupti_.cuptiRangeProfilerStart(&start), "starting a pass");
      call();
      wait_for_device();
      FLASHSCOPE_PARAMETERS(CUpti_RangeProfiler_Stop_Params, stop);
      stop.pRangeProfilerObject = profiler_;
      cupti_.check(cupti_.cuptiRangeProfilerStop(&stop), "ending a pass");
      done = stop.isAllPassSubmitted != 0;
    }
    FLASHSCOPE_PARAMETERS(CUpti_RangeProfiler_DecodeData_Params, decode);
    decode.pRangeProfilerObject = profiler_;
    cupti_.check(cupti_.cuptiRangeProfilerDecodeData(&decode), "decoding");
    return evaluate();
  }

 private:
  void enable() {
    FLASHSCOPE_PARAMETERS(CUpti_RangeProfiler_Enable_Params, enable);
    enable.ctx = current_context();
    cupti_.check(cupti_.cuptiRangeProfilerEnable(&enable), "enabling the range profiler");
    profiler_ = enable.pRangeProfilerObject;
  }

  void describe_host() {
    int device = 0;
    require_success(cudaGetDevice(&device), "choosing a device");
    FLASHSCOPE_PARAMETERS(CUpti_Device_GetChipName_Params, chip);
    chip.deviceIndex = static_cast<std::size_t>(device);
    cupti_.check(cupti_.cuptiDeviceGetChipName(&chip), "asking for the chip");
    FLASHSCOPE_PARAMETERS(CUpti_Profiler_Host_Initialize_Params, host);
    host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    host.pChipName = chip.pChipName;
    cupti_.check(cupti_.cuptiProfilerHostInitialize(&host), "describing the chip");
    host_ = host.pHostObject;
  }

  void make_config() {
    FLASHSCOPE_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
    add.pHostObject = host_;
    add.ppMetricNames = metrics_.data();
    add.numMetrics = metrics_.size();
    cupti_.check(cupti_.cuptiProfilerHostConfigAddMetrics(&add), "adding metrics");
    FLASHSCOPE_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
    size.pHostObject = host_;
    cupti_.check(cupti_.cuptiProfilerHostGetConfigImageSize(&size), "sizing the configuration");
    config_.resize(size.configImageSize);
    FLASHSCOPE_PARAMETERS(CUpti_Profiler_Host_GetConfigImage_Params, image);
    image.pHostObject = host_;
    image.configImageSize = config_.size();
    image.pConfigImage = config_.data();
    cupti_.check(cupti_.cuptiProfilerHostGetConfigImage(&image), "making the configuration");
  }

  void make_counter_data() {
    FLASHSCOPE_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = metrics_.data();
    size.numMetrics = metrics_.size();
    size.maxNumOfRanges = kMostKernels;
    size.maxNumRangeTreeNodes = kMostKernels;
    cupti_.check(cupti_.cuptiRangeProfilerGetCounterDataSize(&size), "sizing the counter data");
    data_.assign(size.counterDataSize, 0);
    FLASHSCOPE_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, initialize);
    initialize.pRangeProfilerObject = profiler_;
    initialize.counterDataSize = data_.size();
    initialize.pCounterData = data_.data();
    cupti_.check(cupti_.cuptiRangeProfilerCounterDataImageInitialize(&initialize),
                 "preparing the counter data");
  }

  void set_config() {
    FLASHSCOPE_PARAMETERS(CUpti_RangeProfiler_SetConfig_Params, set);
    set.pRangeProfilerObject = profiler_;
    set.configSize = config_.size();
    set.pConfig = config_.data();
    set.counterDataImageSize = data_.size();
    set.pCounterDataImage = data_.data();
    set.range = CUPTI_AutoRange;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = kMostKernels;
    set.numNestingLevels = 1;
    set.minNestingLevel = 1;
    set.passIndex = 0;
    set.targetNestingLevel = 1;
    cupti_.check(cupti_.cuptiRangeProfilerSetConfig(&set), "setting the configuration");
  }

  std::vector<KernelCounters> evaluate() {
    FLASHSCOPE_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = data_.data();
    info.counterDataImageSize = data_.size();
    cupti_.check(cupti_.cuptiRangeProfilerGetCounterDataInfo(&info), "counting kernels");
    std::vector<KernelCounters> kernels;
    for (std::size_t range = 0; range < info.numTotalRanges; ++range) {
      std::vector<double> values(metrics_.size(), NAN);
      FLASHSCOPE_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, evaluate);
      evaluate.pHostObject = host_;
      evaluate.pCounterDataImage = data_.data();
      evaluate.counterDataImageSize = data_.size();
      evaluate.rangeIndex = range;
      evaluate.ppMetricNames = metrics_.data();
      evaluate.numMetrics = metrics_.size();
      evaluate.pMetricValues = values.data();
      cupti_.check(cupti_.cuptiProfilerHostEvaluateToGpuValues(&evaluate), "reading counters");
      KernelCounters kernel;  // CUPTI's ranges are numbered, not named
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isfinite(values[i]) && values[i] >= 0) {
          kernel.*(counters_[i]->field) = std::llround(values[i]);
        }
      }
      kernels.push_back(kernel);
    }
    return kernels;
  }

  // Errors are past caring about here.
  void close() {
    if (host_ != nullptr) {
      FLASHSCOPE_PARAMETERS(CUpti_Profiler_Host_Deinitialize_Params, host);
      host.pHostObject = host_;
      cupti_.cuptiProfilerHostDeinitialize(&host);
    }
    if (profiler_ != nullptr) {
      FLASHSCOPE_PARAMETERS(CUpti_RangeProfiler_Disable_Params, disable);
      disable.pRangeProfilerObject = profiler_;
      cupti_.cuptiRangeProfilerDisable(&disable);
    }
    FLASHSCOPE_PARAMETERS(CUpti_Profiler_DeInitialize_Params, profiler);
    cupti_.cuptiProfilerDeInitialize(&profiler);
  }

  CuptiLibrary cupti_;
  std::vector<const Counter*> counters_;
  std::vector<const char*> metrics_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::vector<std::uint8_t> config_, data_;
};

}  // namespace

std::unique_ptr<Cupti> Cupti::open(std::string* why_not) {
  CuptiLibrary library;
  *why_not = library.load();
  if (!why_not->empty()) return nullptr;
  try {
    return std::make_unique<RangeProfiler>(library);
  } catch (const Error& error) {
    *why_not = error.what();
    return nullptr;
  }
}

}  // namespace flashscope::gpu
