// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure.application;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.autoconfigure.startup.PropertyValueCheck;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.internal.RateLimitPattern;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.SmartApplicationListener;
import org.springframework.core.env.Environment;

/**
 * Reads the rate limits again when Spring Cloud reports a changed environment. Invalid
 * properties are logged, and change nothing.
 */
public class RateLimitRefresh implements SmartApplicationListener {

	/** Known by name, since the library does not depend on Spring Cloud. */
	public static final String EVENT = "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

	private static final Log logger = LogFactory.getLog(RateLimitRefresh.class);

	private final ObjectProvider<RateLimitPattern> pattern;

	private final Environment environment;

	public RateLimitRefresh(ObjectProvider<RateLimitPattern> pattern, Environment environment) {
		this.pattern = pattern;
		this.environment = environment;
	}

	@Override
	public boolean supportsEventType(Class<? extends ApplicationEvent> eventType) {
		return eventType.getName().equals(EVENT);
	}

	@Override
	public void onApplicationEvent(ApplicationEvent event) {
		try {
			this.pattern.getObject()
				.refresh(Binder.get(this.environment, new PropertyValueCheck().apply(BindHandler.DEFAULT))
					.bindOrCreate("ge.redis.rate-limit", RateLimitProperties.class));
		}
		catch (GuardConfigurationException ex) {
			logger.error("Rate limits stay as they were. " + ex.getMessage());
		}
		catch (BindException ex) {
			logger.error("Rate limits stay as they were. " + ex.getMessage() + ": " + ex.getCause());
		}
	}

}
