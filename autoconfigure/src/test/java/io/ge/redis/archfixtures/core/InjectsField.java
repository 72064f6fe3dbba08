// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import org.springframework.beans.factory.annotation.Autowired;

class InjectsField {

	@Autowired
	String planted;

}
