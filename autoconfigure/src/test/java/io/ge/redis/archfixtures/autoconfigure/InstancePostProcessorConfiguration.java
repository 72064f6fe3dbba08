// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.autoconfigure;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;

class InstancePostProcessorConfiguration {

	@Bean
	BeanPostProcessor planted() {
		return new BeanPostProcessor() {
		};
	}

}
