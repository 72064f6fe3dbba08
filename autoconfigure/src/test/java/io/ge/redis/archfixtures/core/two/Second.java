// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core.two;

import io.ge.redis.archfixtures.core.one.First;

public class Second {

	First first;

}
