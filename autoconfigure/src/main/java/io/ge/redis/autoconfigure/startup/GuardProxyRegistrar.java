// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure.startup;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Ensures that there is a proxy creator. Boot registers none with
 * {@code spring.aop.auto=false}, nor with class proxying off and no weaver on the class
 * path. Annotated methods would then run unguarded silently.
 */
public class GuardProxyRegistrar implements ImportBeanDefinitionRegistrar {

	@Override
	public void registerBeanDefinitions(AnnotationMetadata importingClassMetadata, BeanDefinitionRegistry registry) {
		AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
	}

}
