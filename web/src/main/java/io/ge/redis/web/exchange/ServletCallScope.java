// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.util.function.UnaryOperator;

import io.ge.redis.core.call.CallScope;
import org.jspecify.annotations.Nullable;

import org.springframework.context.i18n.LocaleContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Binds the request and its locale where the call of an idempotent handler continues on
 * another thread, until the request is over.
 */
public class ServletCallScope implements CallScope {

	@Override
	public UnaryOperator<Runnable> capture() {
		RequestAttributes bound = RequestContextHolder.getRequestAttributes();
		ServletExchange exchange = (bound instanceof ServletRequestAttributes attributes)
				? ServletExchange.of(attributes.getRequest()) : null;
		if (exchange == null || !exchange.isAnsweredLater()) {
			return UnaryOperator.identity();
		}
		LocaleContext locale = LocaleContextHolder.getLocaleContext();
		return (task) -> () -> {
			if (exchange.isOver() || RequestContextHolder.getRequestAttributes() == bound) {
				task.run();
			}
			else {
				run(task, bound, locale);
			}
		};
	}

	private static void run(Runnable task, @Nullable RequestAttributes request, @Nullable LocaleContext locale) {
		RequestAttributes requestBefore = RequestContextHolder.getRequestAttributes();
		LocaleContext localeBefore = LocaleContextHolder.getLocaleContext();
		RequestContextHolder.setRequestAttributes(request);
		LocaleContextHolder.setLocaleContext(locale);
		try {
			task.run();
		}
		finally {
			RequestContextHolder.setRequestAttributes(requestBefore);
			LocaleContextHolder.setLocaleContext(localeBefore);
		}
	}

}
