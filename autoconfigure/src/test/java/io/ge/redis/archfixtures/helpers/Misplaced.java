// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.helpers;

import java.util.List;

class Misplaced {

	List<String> dependency;

}
