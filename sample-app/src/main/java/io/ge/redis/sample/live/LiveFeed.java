// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.live;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Sends the figures to all listeners once a second. Without listeners it reads nothing.
 * It stops before the web server does, which would wait for the open responses.
 */
@Component
class LiveFeed implements SmartLifecycle {

	static final int MOST_LISTENERS = 20;

	private static final Log logger = LogFactory.getLog(LiveFeed.class);

	private static final long PERIOD_MILLIS = 1000;

	private final LiveMeters meters;

	private final Set<SseEmitter> listeners = ConcurrentHashMap.newKeySet();

	private @Nullable ScheduledExecutorService scheduler;

	private @Nullable Future<?> ticks;

	LiveFeed(LiveMeters meters) {
		this.meters = meters;
	}

	/**
	 * Adds a listener until it disconnects or the application stops. The first figures
	 * are sent with the response, by the thread of the request.
	 */
	SseEmitter listen() {
		SseEmitter listener = new SseEmitter(0L);
		listener.onCompletion(() -> remove(listener));
		listener.onError((failure) -> remove(listener));
		send(listener, this.meters.read());
		add(listener);
		return listener;
	}

	private synchronized void add(SseEmitter listener) {
		ScheduledExecutorService running = this.scheduler;
		if (running == null || this.listeners.size() >= MOST_LISTENERS) {
			throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "There are too many listeners");
		}
		this.listeners.add(listener);
		if (this.ticks == null) {
			this.ticks = running.scheduleAtFixedRate(this::tick, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
		}
	}

	private synchronized void remove(SseEmitter listener) {
		this.listeners.remove(listener);
		if (this.listeners.isEmpty() && this.ticks != null) {
			this.ticks.cancel(false);
			this.ticks = null;
		}
	}

	private void tick() {
		try {
			LiveFigures figures = this.meters.read();
			this.listeners.forEach((listener) -> send(listener, figures));
		}
		catch (RuntimeException ex) {
			logger.debug("Could not read figures", ex);
		}
	}

	private void send(SseEmitter listener, LiveFigures figures) {
		try {
			listener.send(figures, MediaType.APPLICATION_JSON);
		}
		catch (IOException | RuntimeException ex) {
			// The browser has closed the page, or is to connect again
			remove(listener);
			listener.complete();
		}
	}

	@Override
	public synchronized void start() {
		this.scheduler = Executors.newSingleThreadScheduledExecutor((task) -> {
			Thread thread = new Thread(task, "live-feed");
			thread.setDaemon(true);
			return thread;
		});
	}

	@Override
	public void stop() {
		end();
		this.listeners.forEach(SseEmitter::complete);
	}

	private synchronized void end() {
		if (this.scheduler != null) {
			this.scheduler.shutdownNow();
			this.scheduler = null;
			this.ticks = null;
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.scheduler != null;
	}

}
