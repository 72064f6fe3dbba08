// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

class ClassConditionOnBeanConfiguration {

	@Bean
	@ConditionalOnClass(name = "planted.Type")
	String planted() {
		return "planted";
	}

}
