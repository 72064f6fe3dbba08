// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.outage;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.ge.redis.test.RedisNode;
import org.slf4j.LoggerFactory;

/**
 * What an application with default levels would log, also where tests are quiet.
 */
final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {

	private final Map<Logger, Level> loggers = new LinkedHashMap<>();

	private final List<String> lines = new CopyOnWriteArrayList<>();

	/** Begins to listen. An application that starts would end that. */
	LogLines(String... loggers) {
		start();
		for (String name : loggers) {
			Logger logger = (Logger) LoggerFactory.getLogger(name);
			this.loggers.put(logger, logger.getLevel());
			logger.setLevel(Level.INFO);
			logger.setAdditive(false);
			logger.addAppender(this);
		}
	}

	@Override
	protected void append(ILoggingEvent event) {
		this.lines.add(event.getLoggerName() + " " + event.getFormattedMessage()
				+ ((event.getThrowableProxy() != null) ? " and a stack trace" : ""));
	}

	/** Returns the lines that name a server, and all stack traces. */
	List<String> about(RedisNode server) {
		return this.lines.stream()
			.filter((line) -> line.contains(":" + server.port()) || line.endsWith("stack trace"))
			.toList();
	}

	void clear() {
		this.lines.clear();
	}

	@Override
	public void close() {
		this.loggers.forEach((logger, level) -> {
			logger.detachAppender(this);
			logger.setLevel(level);
			logger.setAdditive(true);
		});
	}

}
