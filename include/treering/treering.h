#pragma once

#include "treering/buffer.h"
#include "treering/config.h"
#include "treering/engine.h"
#include "treering/handle.h"
#include "treering/status.h"
#include "treering/tensor.h"
#include "treering/types.h"
