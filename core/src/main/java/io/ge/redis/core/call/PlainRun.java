// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * A guarded call on the thread of its caller, which waits for the answer and for the end
 * of the guarding.
 */
final class PlainRun implements GuardedCall.Beginning {

	private final GuardedCall.Work work;

	private @Nullable Object result;

	private PlainRun(GuardedCall.Work work) {
		this.work = work;
	}

	static <A extends @Nullable Object> @Nullable Object run(GuardedCall<A> call) throws Throwable {
		CompletableFuture<A> asked = call.ask();
		A answer = call.isInterruptible() ? Waiting.awaitInterruptibly(asked, call::interrupted) : Waiting.await(asked);
		return new PlainRun(call.decide(answer)).work();
	}

	private @Nullable Object work() throws Throwable {
		try (ThreadInterruption interruption = ThreadInterruption.by(this.work.interruption())) {
			this.work.begin(this);
		}
		catch (Throwable failure) {
			try {
				end(null, failure);
			}
			catch (RuntimeException | Error problem) {
				if (problem != failure) {
					failure.addSuppressed(problem);
				}
			}
			return this.work.recover(failure);
		}
		end(this.result, null);
		return this.result;
	}

	private void end(@Nullable Object value, @Nullable Throwable failure) {
		Waiting.await(this.work.end(value, failure));
		this.work.publishCompletion();
	}

	@Override
	public void run() throws Throwable {
		this.result = this.work.start();
	}

}
