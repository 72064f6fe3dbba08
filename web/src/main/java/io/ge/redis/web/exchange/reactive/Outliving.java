// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange.reactive;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * Work that may go on after its subscriber has cancelled.
 */
final class Outliving {

	private static final Log logger = LogFactory.getLog(Outliving.class);

	private Outliving() {
	}

	static Mono<Void> of(Mono<Void> work, BooleanSupplier goesOn, Runnable cancelled) {
		return Mono.create((subscriber) -> {
			Disposable.Swap running = Disposables.swap();
			AtomicBoolean gone = new AtomicBoolean();
			subscriber.onCancel(() -> {
				gone.set(true);
				if (!goesOn.getAsBoolean()) {
					running.dispose();
					cancelled.run();
				}
			});
			running.update(work.subscribe(null, (failure) -> {
				if (gone.get()) {
					logger.debug("The call of this failure was abandoned", failure);
				}
				else {
					subscriber.error(failure);
				}
			}, subscriber::success, Context.of(subscriber.contextView())));
		});
	}

}
