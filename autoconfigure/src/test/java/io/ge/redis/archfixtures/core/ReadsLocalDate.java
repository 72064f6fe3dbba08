// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import java.time.LocalDate;

class ReadsLocalDate {

	Object planted() {
		return LocalDate.now();
	}

}
