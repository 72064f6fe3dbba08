// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

enum PatternList {

	RATE_LIMIT, SOMETHING_ELSE

}
