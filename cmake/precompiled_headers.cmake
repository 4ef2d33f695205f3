# Precompiled headers halve what a Qt source costs. A compiler cache cannot see into them, so a
# machine with ccache compiles without: that build also finds what a source forgot to include.
if(CCACHE_PROGRAM)
  set(precompile_by_default OFF)
else()
  set(precompile_by_default ON)
endif()
option(HIGHWATER_PRECOMPILE "Precompile the headers of libraries" ${precompile_by_default})

# The libraries' headers that `target` uses most; never our own, which change.
function(hw_precompile target)
  if(HIGHWATER_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  hw_silence_ghosts(${target})
endfunction()

# What was precompiled for `other`: `target` takes its flags and definitions, or g++ would not read
# it.
function(hw_precompile_as target other)
  if(HIGHWATER_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${other})
    target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:${other},COMPILE_DEFINITIONS>)
    target_compile_options(${target} PRIVATE $<TARGET_PROPERTY:${other},COMPILE_OPTIONS>)
    get_target_property(reads ${other} HW_READS)
    set_target_properties(${target} PROPERTIES HW_READS "${reads}")
  endif()
  hw_silence_ghosts(${target})
endfunction()

function(hw_silence_ghosts target)
  # g++ 12 forgets what a system header is once it was precompiled, and then tells of the same
  # ghosts in std::string as hw_options silences (GCC bug 105651) under more names; of the last one
  # it tells in std::stop_token, precompiled or not.
  target_compile_options(${target} PRIVATE
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>"
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-use-after-free>")
endfunction()

set(HW_STANDARD_HEADERS
  <algorithm> <array> <chrono> <cmath> <cstdint> <deque> <functional> <limits> <map> <memory>
  <numeric> <optional> <set> <span> <string> <string_view> <tuple> <unordered_map> <utility>
  <vector> <fmt/format.h>)
set(HW_QT_HEADERS
  <QAbstractTableModel> <QAction> <QApplication> <QBoxLayout> <QChart> <QChartView> <QComboBox>
  <QCoreApplication> <QDialog> <QDockWidget> <QFutureWatcher> <QHeaderView> <QLabel> <QLineEdit>
  <QMainWindow> <QMenu> <QMouseEvent> <QObject> <QPainter> <QPushButton> <QSettings>
  <QStackedWidget>
  <QString> <QTableView> <QThreadPool> <QTimer> <QToolButton> <QValueAxis> <QWidget>)
