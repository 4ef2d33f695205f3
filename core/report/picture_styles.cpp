#include "core/report/run_pictures.h"

namespace hw {

std::string_view pictureStyles() {
  return R"(:root{--window:#f2f3f5;--plot:#fff;--grid:#e1e4e8;--axis:#6a737d;--text:#1b1f24;
--muted:#5f6873;--accent:#c44a00;--capacity:#d55e00;--bound:#00815d;--high:#0072b2;--live:#a6cfe8;
--c0:#f5d999;--c1:#99d8c7;--c2:#bbe1f6;--c3:#ebc9dc;--edge:#58708a;--best:#e3f3ee}
@media(prefers-color-scheme:dark){:root{--window:#25282d;--plot:#1a1c20;--grid:#32363d;
--axis:#8b949e;--text:#e4e7eb;--muted:#9da5af;--accent:#ff8f4a;--capacity:#f0813a;--bound:#2fc79a;
--high:#6cbcf0;--live:#1d4a68;--c0:#5c4310;--c1:#0d4a3a;--c2:#234f68;--c3:#573349;--edge:#8fa6bd;
--best:#17352d}}
svg{background:var(--plot);width:100%;height:auto;display:block}
.hw-title{font-weight:bold;fill:var(--text)}.hw-axis{fill:var(--axis)}
.hw-grid{stroke:var(--grid)}.hw-line{stroke-width:1.2;fill:none}
.hw-block{stroke:var(--edge);stroke-width:.5}.hw-name{fill:var(--text)}
.hw-c0{fill:var(--c0)}.hw-c1{fill:var(--c1)}.hw-c2{fill:var(--c2)}.hw-c3{fill:var(--c3)}
.hw-capacity{stroke:var(--capacity);stroke-dasharray:6 3}.hw-capacity-text{fill:var(--capacity)}
.hw-peak{stroke:var(--text);stroke-dasharray:1 2}.hw-peak-text{fill:var(--text)}
.hw-bound{stroke:var(--bound);stroke-dasharray:6 2 1 2}.hw-bound-text{fill:var(--bound)}
.hw-capacity-text,.hw-peak-text,.hw-bound-text{paint-order:stroke;stroke:var(--plot);
stroke-width:3px;stroke-linejoin:round}
.hw-live{fill:var(--live);stroke:var(--high);stroke-width:1}
)";
}

}  // namespace hw
