// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.autoconfigure;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

@AutoConfiguration
public final class SoundAutoConfiguration {

	@Bean
	static BeanPostProcessor geRedisPlantedPostProcessor() {
		return new BeanPostProcessor() {
		};
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static Advisor geRedisPlantedAdvisor() {
		return new DefaultPointcutAdvisor();
	}

}
