// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import java.util.logging.Logger;

class UsesJavaLogging {

	Logger dependency;

}
