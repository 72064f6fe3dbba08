// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import java.util.Date;

class ConvertsDate {

	Object planted() {
		return new Date(1);
	}

}
