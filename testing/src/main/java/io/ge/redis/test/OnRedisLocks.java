// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.parallel.ResourceLocksProvider;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.engine.support.hierarchical.ExclusiveResource;

/**
 * Lets a contract run on several targets side by side, since it mostly waits, but on each
 * of them one test after the other. A class that is not part of such a contract runs
 * alone.
 */
class OnRedisLocks implements ResourceLocksProvider {

	@Override
	public Set<Lock> provideForClass(Class<?> testClass) {
		return Set.of(new Lock(ExclusiveResource.GLOBAL_KEY));
	}

	@Override
	public Set<Lock> provideForNestedClass(List<Class<?>> enclosingInstanceTypes, Class<?> testClass) {
		return AnnotationSupport.findAnnotation(testClass, OnRedis.class)
			.map((onRedis) -> Set.of(new Lock(onRedis.value().name())))
			.orElse(Set.of());
	}

}
