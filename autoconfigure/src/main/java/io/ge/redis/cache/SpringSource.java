/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.concurrent.Callable;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.ObjectUtils;

/**
 * The rest of a call whose cache asks for the value.
 *
 * @param key the entry
 * @param type the type of the value
 * @param loader goes on with the call
 * @param call the call from its beginning, to be repeated by others than its caller
 * @param view the cache as the operation sees it that asks
 */
record SpringSource(CacheKey key, CacheType type, Callable<? extends @Nullable Object> loader, MethodInvocation call,
		SpringCacheView view) implements CacheSource {

	@Override
	public @Nullable Object load() throws Exception {
		return this.loader.call();
	}

	@Override
	public CacheSource detached() {
		return (this.call instanceof ProxyMethodInvocation proxied) ? new Repeated(this, proxied.invocableClone())
				: this;
	}

	private boolean isChanged() {
		Object now = this.view.probe().key(null);
		return now == null || !this.view.key(now).equals(this.key);
	}

	/**
	 * A call that is repeated while its caller goes on, and may change the arguments.
	 */
	private static final class Repeated implements CacheSource {

		private final SpringSource call;

		private final MethodInvocation rest;

		private boolean changed;

		Repeated(SpringSource call, MethodInvocation rest) {
			this.call = call;
			this.rest = rest;
		}

		@Override
		public CacheKey key() {
			return this.call.key();
		}

		@Override
		public CacheType type() {
			return this.call.type();
		}

		@Override
		public @Nullable Object load() throws Throwable {
			this.changed = this.call.isChanged();
			Object value = ObjectUtils.unwrapOptional(this.rest.proceed());
			this.changed |= this.call.isChanged();
			return value;
		}

		@Override
		public boolean isStorable(@Nullable Object value) {
			return !this.changed;
		}

	}

}
