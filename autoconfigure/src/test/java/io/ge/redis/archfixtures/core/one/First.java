// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core.one;

import io.ge.redis.archfixtures.core.two.Second;

public class First {

	Second second;

}
