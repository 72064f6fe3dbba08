// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.autoconfigure;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.context.annotation.Bean;

class OrdinaryAdvisorConfiguration {

	@Bean
	static Advisor planted() {
		return new DefaultPointcutAdvisor();
	}

}
