// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme.quotes;

import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.OnNotAcquired;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
class PriceImport {

	private static final Logger logger = LoggerFactory.getLogger(PriceImport.class);

	@Scheduled(cron = "*/10 * * * * *")
	@DistributedLock(name = "price-import", atLeastFor = "5s", onNotAcquired = OnNotAcquired.SKIP)
	public void run() {
		logger.info("Importing prices");
	}

}
