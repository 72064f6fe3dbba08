// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure.application;

import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.lock.LockContext;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;

/**
 * Propagates locks with the thread context of the application. The registry is one for
 * the process: the accessor is registered as long as an application needs it.
 */
public class LockContextAccessor implements ThreadLocalAccessor<LockContext.Carrier>, DisposableBean {

	public static final String KEY = LockContext.KEY;

	private static final AtomicInteger users = new AtomicInteger();

	private final ContextRegistry registry;

	public LockContextAccessor(ContextRegistry registry) {
		this.registry = registry;
		users.incrementAndGet();
		registry.registerThreadLocalAccessor(this);
	}

	@Override
	public Object key() {
		return KEY;
	}

	@Override
	public LockContext.@Nullable Carrier getValue() {
		LockContext.Carrier carrier = LockContext.capture();
		return carrier.isEmpty() ? null : carrier;
	}

	@Override
	public void setValue(LockContext.Carrier carrier) {
		carrier.open();
	}

	@Override
	public void setValue() {
		LockContext.none().open();
	}

	@Override
	public void restore(LockContext.Carrier previous) {
		previous.resume();
	}

	@Override
	public void restore() {
		setValue();
	}

	@Override
	public void destroy() {
		if (users.decrementAndGet() == 0) {
			this.registry.removeThreadLocalAccessor((Object) KEY);
		}
	}

}
