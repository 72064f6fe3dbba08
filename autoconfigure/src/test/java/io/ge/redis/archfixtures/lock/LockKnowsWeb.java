// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.lock;

import io.ge.redis.archfixtures.web.WebPort;

class LockKnowsWeb {

	WebPort dependency;

}
