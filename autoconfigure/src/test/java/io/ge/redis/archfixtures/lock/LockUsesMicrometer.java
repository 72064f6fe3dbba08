// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.lock;

import io.micrometer.core.instrument.Counter;

class LockUsesMicrometer {

	Counter dependency;

}
